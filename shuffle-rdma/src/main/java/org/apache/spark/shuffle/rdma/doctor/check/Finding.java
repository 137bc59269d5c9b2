package org.apache.spark.shuffle.rdma.doctor.check;

/**
 * One line of what a check found.
 *
 * @param topic what was looked at
 * @param subject which one, where a machine has several, such as a device or a directory; or empty
 * @param found what there is
 * @param verdict whether that will do
 * @param remedy what to do; empty if there's nothing to do
 */
public record Finding(Topic topic, String subject, String found, Verdict verdict, String remedy) {

  public Finding {
    if (verdict != Verdict.GOOD && remedy.isEmpty()) {
      throw new IllegalArgumentException(topic + " is " + verdict + " without a remedy");
    }
  }

  static Finding good(Topic topic, String subject, String found) {
    return new Finding(topic, subject, found, Verdict.GOOD, "");
  }

  static Finding good(Topic topic, String found) {
    return good(topic, "", found);
  }

  static Finding warn(Topic topic, String found, String remedy) {
    return new Finding(topic, "", found, Verdict.WARN, remedy);
  }

  /** What was looked at, for people. */
  public String what() {
    return subject.isEmpty() ? topic.label() : topic.label() + " " + subject;
  }
}
