package org.apache.spark.shuffle.rdma.docs;

import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.ParenthesizedTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/**
 * The string expressions of Java sources, as the compiler parses them: literals and what is joined
 * by {@code +}. Where a value goes, one has a hole.
 */
final class SourceMessages {

  private static final String HOLE = "\0";

  /** Where SLF4J and {@code String.format} put values. */
  private static final Pattern PLACEHOLDER = Pattern.compile("\\{}|%[a-z]|%[0-9]+x");

  private final List<String> expressions = new ArrayList<>();

  private SourceMessages() {}

  static SourceMessages of(List<Path> folders) throws IOException {
    List<Path> files = new ArrayList<>();
    for (Path folder : folders) {
      try (Stream<Path> all = Files.walk(folder)) {
        all.filter(file -> file.toString().endsWith(".java")).forEach(files::add);
      }
    }
    SourceMessages messages = new SourceMessages();
    var compiler = ToolProvider.getSystemJavaCompiler();
    try (var manager = compiler.getStandardFileManager(null, null, null)) {
      JavacTask task =
          (JavacTask)
              compiler.getTask(
                  null, manager, null, null, null, manager.getJavaFileObjectsFromPaths(files));
      for (CompilationUnitTree unit : task.parse()) {
        messages.new Scanner().scan(unit, null);
      }
    }
    return messages;
  }

  /**
   * Whether one expression can say this.
   *
   * @param message with {@code ...} where values go, or where it's cut short
   */
  boolean contain(String message) {
    Pattern wanted =
        Pattern.compile(
            Stream.of(message.split("\\.\\.\\.", -1))
                .map(piece -> Pattern.quote(piece.strip()))
                .collect(Collectors.joining(".*")),
            Pattern.DOTALL);
    return expressions.stream().anyMatch(expression -> wanted.matcher(expression).find());
  }

  private final class Scanner extends TreeScanner<Void, Void> {
    @Override
    public Void visitLiteral(LiteralTree literal, Void unused) {
      add(literal);
      return null;
    }

    @Override
    public Void visitBinary(BinaryTree sum, Void unused) {
      add(sum);
      // What is chosen inside of it, by a condition or a call, is a message too.
      return super.visitBinary(sum, null);
    }

    private void add(ExpressionTree expression) {
      StringBuilder text = new StringBuilder();
      join(expression, text);
      expressions.add(PLACEHOLDER.matcher(text).replaceAll(HOLE));
    }

    private void join(Tree tree, StringBuilder text) {
      switch (tree) {
        case BinaryTree sum when sum.getKind() == Tree.Kind.PLUS -> {
          join(sum.getLeftOperand(), text);
          join(sum.getRightOperand(), text);
        }
        case ParenthesizedTree inner -> join(inner.getExpression(), text);
        case LiteralTree literal when literal.getValue() instanceof String string ->
            text.append(string);
        default -> text.append(HOLE);
      }
    }
  }
}
