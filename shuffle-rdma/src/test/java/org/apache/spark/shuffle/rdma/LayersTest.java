package org.apache.spark.shuffle.rdma;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Dependencies point one way, and Spark and foreign memory stay where they belong. */
@AnalyzeClasses(
    packages = {"org.apache.spark.shuffle.rdma", "org.sparkrdma"},
    importOptions = ImportOption.DoNotIncludeTests.class)
final class LayersTest {

  private static final String ROOT = "org.apache.spark.shuffle.rdma";

  @ArchTest
  static final ArchRule LAYERS =
      layeredArchitecture()
          .consideringOnlyDependenciesInAnyPackage(ROOT + "..", "org.sparkrdma..")
          .layer("root")
          .definedBy(ROOT)
          .layer("ui")
          .definedBy(ROOT + ".ui..")
          .layer("fetch")
          .definedBy(ROOT + ".fetch..")
          .layer("location")
          .definedBy(ROOT + ".location..")
          .layer("memory")
          .definedBy(ROOT + ".memory..")
          .layer("software")
          .definedBy(ROOT + ".fabric.software..")
          .layer("verbs fabric")
          .definedBy(ROOT + ".fabric.verbs..")
          .layer("fabric choice")
          .definedBy(ROOT + ".fabric.choice..")
          .layer("doctor")
          .definedBy(ROOT + ".doctor..")
          .layer("fabric")
          .definedBy(ROOT + ".fabric")
          .layer("metrics")
          .definedBy(ROOT + ".metrics..")
          .layer("conf")
          .definedBy(ROOT + ".conf..")
          .layer("verbs")
          .definedBy("org.sparkrdma.verbs")
          .layer("ffi")
          .definedBy("org.sparkrdma.verbs.ffi..")
          .whereLayer("root")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("doctor")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("ui")
          .mayOnlyBeAccessedByLayers("root")
          .whereLayer("ui")
          .mayOnlyAccessLayers("location", "metrics")
          .whereLayer("fetch")
          .mayOnlyBeAccessedByLayers("root")
          .whereLayer("location")
          .mayOnlyBeAccessedByLayers("root", "ui", "fetch")
          .whereLayer("memory")
          .mayOnlyBeAccessedByLayers("root", "fetch", "location", "doctor")
          .whereLayer("fabric choice")
          .mayOnlyBeAccessedByLayers("root", "doctor")
          .whereLayer("software")
          .mayOnlyBeAccessedByLayers("fabric choice", "doctor")
          .whereLayer("verbs fabric")
          .mayOnlyBeAccessedByLayers("fabric choice", "doctor")
          .whereLayer("fabric")
          .mayOnlyBeAccessedByLayers(
              "root",
              "fetch",
              "memory",
              "software",
              "verbs fabric",
              "fabric choice",
              "location",
              "doctor")
          .whereLayer("metrics")
          .mayNotAccessAnyLayer()
          .whereLayer("conf")
          .mayNotAccessAnyLayer()
          .whereLayer("verbs")
          .mayOnlyBeAccessedByLayers("verbs fabric", "doctor")
          .whereLayer("ffi")
          .mayOnlyBeAccessedByLayers("verbs");

  @ArchTest
  static final ArchRule NO_CYCLES = slices().matching(ROOT + ".(*)..").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule SPARK_ONLY_AT_THE_SEAM =
      noClasses()
          .that(resideInAnyPackage(ROOT + ".."))
          .and(
              not(
                  describe(
                      "at the seam",
                      type ->
                          type.getPackageName().equals(ROOT)
                              || type.getPackageName().equals(ROOT + ".ui")
                              || isIn(type, "location.DirectoryEndpoint")
                              || isIn(type, "location.RpcDirectoryTransport")
                              || isIn(type, "metrics.CounterSource"))))
          .should()
          .dependOnClassesThat(
              resideInAnyPackage("org.apache.spark..").and(not(resideInAnyPackage(ROOT + ".."))));

  @ArchTest
  static final ArchRule FOREIGN_MEMORY_ONLY_BELOW =
      noClasses()
          .that(
              not(
                  resideInAnyPackage(
                      ROOT + ".memory..",
                      ROOT + ".fabric..",
                      ROOT + ".doctor.path..",
                      "org.sparkrdma.verbs..")))
          .should()
          .dependOnClassesThat(resideInAnyPackage("java.lang.foreign.."));

  private static boolean isIn(JavaClass type, String name) {
    String full = ROOT + "." + name;
    return type.getName().equals(full) || type.getName().startsWith(full + "$");
  }
}
