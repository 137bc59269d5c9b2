package org.apache.spark.shuffle.rdma.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/**
 * Loads the manager and the simulation afresh, with one source file changed. Everything else comes
 * from the loader above.
 */
final class MutantLoader extends ClassLoader {

  private static final String PACKAGE = "org.apache.spark.shuffle.rdma.";
  private static final Path SOURCES = Path.of("src/main/java", PACKAGE.replace('.', '/'));

  private final Path classes;

  private MutantLoader(Path classes) {
    super(MutantLoader.class.getClassLoader());
    this.classes = classes;
  }

  /**
   * Compiles a mutant.
   *
   * @param directory for its source and its classes
   * @throws AssertionError if its place isn't in the source any more, or it doesn't compile
   */
  static MutantLoader of(Mutant mutant, Path directory) throws IOException {
    Path original = SOURCES.resolve(mutant.source + ".java");
    String source = Files.readString(original);
    for (int i = 0; i < mutant.changes.size(); i += 2) {
      source = changed(mutant, source, mutant.changes.get(i), mutant.changes.get(i + 1));
    }
    Path mutated = directory.resolve(Objects.requireNonNull(original.getFileName()));
    Files.writeString(mutated, source);
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter messages = new StringWriter();
    List<String> options =
        List.of(
            "-proc:none",
            "-nowarn",
            "-cp",
            System.getProperty("java.class.path"),
            "-d",
            directory.toString());
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      boolean compiled =
          compiler
              .getTask(messages, files, null, options, null, files.getJavaFileObjects(mutated))
              .call();
      assertTrue(compiled, () -> mutant + ": " + messages);
    }
    MutantLoader loader = new MutantLoader(directory);
    Quiet.classesOf(loader);
    return loader;
  }

  private static String changed(Mutant mutant, String source, String from, String to) {
    Pattern anyWrapping =
        Pattern.compile(
            Arrays.stream(from.split(" ")).map(Pattern::quote).collect(Collectors.joining("\\s+")));
    Matcher places = anyWrapping.matcher(source);
    assertEquals(1, places.results().count(), () -> mutant + ": how often the source has " + from);
    return places.replaceAll(Matcher.quoteReplacement(to));
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!name.startsWith(PACKAGE)) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      return loaded == null ? define(name) : loaded;
    }
  }

  private Class<?> define(String name) throws ClassNotFoundException {
    String file = name.replace('.', '/') + ".class";
    try (InputStream in = open(file)) {
      if (in == null) {
        throw new ClassNotFoundException(name);
      }
      byte[] bytes = in.readAllBytes();
      return defineClass(name, bytes, 0, bytes.length);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private @Nullable InputStream open(String file) throws IOException {
    Path mutated = classes.resolve(file);
    return Files.exists(mutated) ? Files.newInputStream(mutated) : getResourceAsStream(file);
  }
}
