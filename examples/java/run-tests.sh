#!/bin/sh
# Compiles and runs the tests with the jars of Debian: junit5 and libjackson2-databind-java.
set -eu
classes=$(mktemp -d)
trap 'rm -rf "$classes"' EXIT
javac -d "$classes" -classpath '/usr/share/java/*' ./*.java
java -classpath "$classes:/usr/share/java/*" org.junit.platform.console.ConsoleLauncher \
  --scan-classpath "$classes" --disable-banner --details=summary
