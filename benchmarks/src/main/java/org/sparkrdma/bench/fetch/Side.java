package org.sparkrdma.bench.fetch;

/** Who fetches. */
enum Side {
  NETTY("netty"),
  LOCAL("local"),
  TCP("tcp"),
  VERBS("verbs"),
  FLOOR("floor");

  private final String label;

  Side(String label) {
    this.label = label;
  }

  String label() {
    return label;
  }
}
