package org.sparkrdma.bench;

/**
 * A figure at one size of the work.
 *
 * @param compared its label, unit, and the aim of our side
 * @param series what is drawn as one line: cases that differ only in size
 * @param size of the work, 1 or more
 */
public record GrowthCase(ComparedCase compared, String series, double size) {}
