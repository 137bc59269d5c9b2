package org.sparkrdma.it.jobs;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.logging.Level;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/**
 * A headless Chromium, as Debian's packages chromium and chromium-driver bring it. It remembers
 * what its console said and what it asked for over the network.
 */
final class Browser implements AutoCloseable {

  private static final File CHROMIUM = new File("/usr/bin/chromium");
  private static final File DRIVER = new File("/usr/bin/chromedriver");

  private static final Pattern REQUEST =
      Pattern.compile("Network\\.requestWillBeSent\".*?\"request\":\\{.*?\"url\":\"([^\"]+)\"");

  private final ChromeDriver driver;

  private Browser(ChromeDriver driver) {
    this.driver = driver;
  }

  /** Skips the test where there's no Chromium, unless -Drequire.browser=true. */
  static Browser start() {
    boolean there = CHROMIUM.canExecute() && DRIVER.canExecute();
    if (!there && Boolean.getBoolean("require.browser")) {
      throw new AssertionError(
          "no " + CHROMIUM + " and " + DRIVER + ": install chromium and chromium-driver");
    }
    assumeTrue(there, "no Chromium here: install chromium and chromium-driver");
    ChromeOptions options = new ChromeOptions();
    options.setBinary(CHROMIUM);
    // Without a sandbox, as root can't have one; it sees nothing but pages of this machine.
    options.addArguments(
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--disable-gpu",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--window-size=1750,900");
    LoggingPreferences logs = new LoggingPreferences();
    logs.enable(LogType.BROWSER, Level.ALL);
    logs.enable(LogType.PERFORMANCE, Level.ALL);
    options.setCapability(ChromeOptions.LOGGING_PREFS, logs);
    ChromeDriverService service =
        new ChromeDriverService.Builder().usingDriverExecutable(DRIVER).usingAnyFreePort().build();
    return new Browser(new ChromeDriver(service, options));
  }

  void open(String url) {
    driver.get(url);
  }

  void click(By element) {
    driver.findElement(element).click();
  }

  String url() {
    return String.valueOf(driver.getCurrentUrl());
  }

  /** The whole page's text as a reader sees it. */
  String text() {
    return driver.findElement(By.tagName("body")).getText();
  }

  /** The texts of what a CSS selector finds. */
  List<String> texts(String selector) {
    return driver.findElements(By.cssSelector(selector)).stream().map(WebElement::getText).toList();
  }

  /** How high something is drawn, in pixels. */
  int height(String selector) {
    return driver.findElement(By.cssSelector(selector)).getSize().getHeight();
  }

  /** What the console had of errors since the last call. */
  List<String> consoleErrors() {
    List<String> errors = new ArrayList<>();
    driver.manage().logs().get(LogType.BROWSER).getAll().stream()
        .filter(entry -> entry.getLevel().intValue() >= Level.SEVERE.intValue())
        .forEach(entry -> errors.add(entry.getMessage()));
    return errors;
  }

  /** The addresses that pages asked for since the last call. */
  Set<URI> requests() {
    Set<URI> urls = new TreeSet<>();
    driver
        .manage()
        .logs()
        .get(LogType.PERFORMANCE)
        .forEach(
            entry -> {
              Matcher matcher = REQUEST.matcher(entry.getMessage());
              if (matcher.find() && !matcher.group(1).startsWith("data:")) {
                urls.add(URI.create(matcher.group(1)));
              }
            });
    return urls;
  }

  /** A picture of the whole page. */
  void picture(Path file) throws IOException {
    Dimension window = driver.manage().window().getSize();
    // Spark keeps its footer at the window's end.
    int height = driver.findElement(By.tagName("body")).getSize().getHeight() + 150;
    driver.manage().window().setSize(new Dimension(window.getWidth(), height));
    Files.createDirectories(file.toAbsolutePath().getParent());
    Files.write(file, driver.getScreenshotAs(OutputType.BYTES));
    driver.manage().window().setSize(window);
  }

  @Override
  public void close() {
    driver.quit();
  }
}
