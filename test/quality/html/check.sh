#!/usr/bin/env bash
# Checks the HTML of each page and view with the Nu checker, which needs Java. Installs what is missing.
set -euo pipefail
cd "$(dirname "$0")/../../.."

command -v java >/dev/null || { apt-get update && apt-get install -y --no-install-recommends default-jre-headless; } >/dev/null

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
npm install --silent --no-save --no-audit --no-fund --prefix "$dir" vnu-jar@26.9.27
count=$(node test/quality/html/write-pages.js "$dir/pages")
java -jar "$dir/node_modules/vnu-jar/build/dist/vnu.jar" --errors-only --stdout "$dir/pages" || {
  echo 'html: the pages above do not conform' >&2
  exit 1
}
echo "html: $count pages and views conform"
