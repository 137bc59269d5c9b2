package org.sparkrdma.bench;

import java.util.Locale;

/**
 * The ratio that a case should reach.
 *
 * @param atLeast whether more is better, as of a bandwidth; else less is, as of a time
 */
public record Aim(boolean atLeast, double ratio) {

  public boolean isReachedBy(double measured) {
    return atLeast ? measured >= ratio : measured <= ratio;
  }

  public String text() {
    return String.format(Locale.ROOT, "%s %.2f", atLeast ? ">=" : "<=", ratio);
  }
}
