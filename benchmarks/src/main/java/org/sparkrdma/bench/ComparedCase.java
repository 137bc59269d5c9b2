package org.sparkrdma.bench;

import java.util.Optional;

/**
 * What two sides do alike.
 *
 * @param label its part of the names in {@code RATIO} lines
 * @param unit of its values
 * @param aim empty where the ratio is only told
 */
public record ComparedCase(String label, String unit, Optional<Aim> aim) {}
