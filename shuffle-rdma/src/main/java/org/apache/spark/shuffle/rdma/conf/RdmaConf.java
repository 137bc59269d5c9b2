package org.apache.spark.shuffle.rdma.conf;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The shuffle manager's configuration, read and checked once. Immutable.
 *
 * <p>Every key is checked when this is made, so a wrong value ends the application at its start,
 * with the key, the value and what is allowed, and not a stage in its middle.
 */
public final class RdmaConf {

  private static final Pattern SIZE = Pattern.compile("(\\d{1,18})\\s*([kmgt]?)i?b?");

  private final Map<ConfKey, String> texts = new EnumMap<>(ConfKey.class);
  private final Map<ConfKey, Long> numbers = new EnumMap<>(ConfKey.class);

  /**
   * Reads every key.
   *
   * @param lookup a key's value as the user wrote it, or null where it isn't set
   * @throws IllegalArgumentException for a value that isn't allowed
   */
  public RdmaConf(Function<String, @Nullable String> lookup) {
    for (ConfKey key : ConfKey.values()) {
      String set = lookup.apply(key.key());
      String value = (set == null ? key.defaultValue() : set).strip();
      texts.put(key, value);
      switch (key.type()) {
        case CHOICE, BOOLEAN -> checkChoice(key, value);
        case INTEGER, BYTES -> numbers.put(key, parseNumber(key, value));
        case TEXT -> {}
      }
    }
  }

  public String text(ConfKey key) {
    return get(texts, key);
  }

  public boolean flag(ConfKey key) {
    return Boolean.parseBoolean(text(key));
  }

  /** The value of an integer key, or of a size key in bytes. */
  public long number(ConfKey key) {
    return get(numbers, key);
  }

  /** The value of an integer key. */
  public int integer(ConfKey key) {
    return Math.toIntExact(number(key));
  }

  private static <T> T get(Map<ConfKey, T> values, ConfKey key) {
    T value = values.get(key);
    if (value == null) {
      throw new IllegalArgumentException(key.key() + " is of type " + key.type());
    }
    return value;
  }

  private static void checkChoice(ConfKey key, String value) {
    List<String> allowed = Arrays.asList(key.allowed().split(", "));
    if (!allowed.contains(value)) {
      throw wrong(key, value);
    }
  }

  private static long parseNumber(ConfKey key, String value) {
    Matcher size = SIZE.matcher(value.toLowerCase(Locale.ROOT));
    if (!size.matches() || (key.type() == ConfKey.Type.INTEGER && !size.group(2).isEmpty())) {
      throw wrong(key, value);
    }
    int shift =
        switch (size.group(2)) {
          case "k" -> 10;
          case "m" -> 20;
          case "g" -> 30;
          case "t" -> 40;
          default -> 0;
        };
    long count = Long.parseLong(size.group(1));
    if (count > Long.MAX_VALUE >> shift) {
      throw wrong(key, value);
    }
    long number = count << shift;
    boolean inRange = number >= key.min() && number <= key.max();
    if (!inRange && !value.equals(key.defaultValue())) {
      throw wrong(key, value);
    }
    return number;
  }

  private static IllegalArgumentException wrong(ConfKey key, String value) {
    return new IllegalArgumentException(
        key.key() + "=" + value + " isn't allowed: set one of " + key.allowed());
  }
}
