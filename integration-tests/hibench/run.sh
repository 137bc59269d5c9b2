#!/usr/bin/env bash
# Runs HiBench's workloads, or built-in ones, with the sort shuffle and the RDMA shuffle: run.sh --help
# Exit status: 0 done, 1 failed, 2 bad arguments, 3 something that it needs is missing.
set -euo pipefail
top="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)"
jar="$top/benchmarks/target/spark-rdma-benchmarks.jar"
spark="$top/integration-tests/target/spark"
# Written after a build: a jar whose content didn't change keeps its old time.
built="$top/benchmarks/target/hibench-built"

missing() {
  echo "run.sh: can't start: $*" >&2
  exit 3
}

is_jdk25() { [ -x "$1/bin/javac" ] && grep -q '^JAVA_VERSION="25[."]' "$1/release" 2> /dev/null; }

find_jdk25() {
  local home
  for home in "${JAVA_HOME:-}" /usr/lib/jvm/*25*; do
    if is_jdk25 "$home"; then
      echo "$home"
      return
    fi
  done
  return 1
}

shuffle_jar() { find "$top/shuffle-rdma/target" -maxdepth 1 -name 'spark-rdma-shuffle-*.jar' 2> /dev/null | head -n 1; }

# True if a jar is missing or something that goes into the jars is newer.
must_build() {
  [ -f "$built" ] && [ -f "$jar" ] && [ -d "$spark/jars" ] && [ -n "$(shuffle_jar)" ] || return 0
  [ -n "$(find "$top/pom.xml" "$top"/{native,shuffle-rdma,integration-tests,benchmarks}/{pom.xml,src/main} \
    -type f -newer "$built" 2> /dev/null | head -n 1)" ]
}

jdk="$(find_jdk25)" || missing "Java 25: neither JAVA_HOME nor /usr/lib/jvm has a JDK 25." \
  "Install it (for example temurin-25-jdk from adoptium.net) or set JAVA_HOME to it."

# RDMA_HIBENCH_BUILT=true: the jars are as they should be, which Maven's own tests know.
if [ "${RDMA_HIBENCH_BUILT:-false}" != true ] && must_build; then
  command -v mvn > /dev/null || missing "Maven 3.8 or later, to build." \
    "Install it (Debian and Ubuntu: apt-get install maven; Fedora: dnf install maven)."
  echo "run.sh: building what is missing (mvn package); the first time, Maven downloads Spark" >&2
  started="$(date --iso-8601=ns)"
  # Maven's own libraries use Unsafe, of which Java 25 warns.
  export MAVEN_OPTS="${MAVEN_OPTS:-} --sun-misc-unsafe-memory-access=allow"
  JAVA_HOME="$jdk" mvn --batch-mode --quiet --file "$top/pom.xml" --projects benchmarks \
    --also-make -DskipTests -Djacoco.skip -Dspotless.check.skip -Dcheckstyle.skip \
    -Dforbiddenapis.skip package < /dev/null >&2 || {
    echo "run.sh: the build failed (its messages are above)." >&2
    exit 1
  }
  touch -d "$started" "$built"
fi

exec "$jdk/bin/java" -Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Djava.awt.headless=true \
  -Djava.io.tmpdir="${TMPDIR:-/tmp}" \
  -Dsparkrdma.it.sparkHome="$spark" \
  -Dsparkrdma.it.shuffleJar="$(shuffle_jar)" \
  -Dsparkrdma.bench.applicationJar="$jar" \
  -cp "$jar" org.sparkrdma.bench.hibench.HiBench "$@"
