#!/usr/bin/env bash
# Generates clients of both APIs in Python, Ruby, Go and Perl, and uses them against a mock. The programs come from Debian,
# the generators from npm and Debian. They read OpenAPI 3.0, so the documents are converted.
set -euo pipefail
cd "$(dirname "$0")/../../.."
repo=$PWD
own=$repo/test/quality/other-generators

packages=(
  default-jre-headless python3-urllib3 python3-dateutil python3-six python3-certifi ruby-typhoeus
  golang-go golang-golang-x-oauth2-dev libopenapi-client-perl
)

dir=$(mktemp -d)
mock=
trap '[ -z "$mock" ] || kill "$mock"; rm -rf "$dir"' EXIT

main() {
  install
  start_mock
  for name in api control; do
    convert "$name"
    generate python "$name" "packageName=paylink_$name"
    generate ruby "$name" "gemName=paylink_$name,moduleName=Paylink${name^}"
    generate go-experimental "$name" "packageName=$name"
  done
  # Debian's interpreters find Debian's packages.
  PATH=/usr/bin:$PATH
  PYTHONPATH=python/api:python/control use Python python3 "$own/clients/use.py"
  use Ruby ruby -Iruby/api/lib -Iruby/control/lib "$own/clients/use.rb"
  prepare_go
  GO111MODULE=off GOPATH=$dir/gopath:/usr/share/gocode use Go go run paylink/use
  use Perl perl "$own/clients/use.pl" "$dir/api-30.yaml" "$dir/control-30.yaml"
  echo 'other generators: ok'
}

install() {
  local package missing=()
  for package in "${packages[@]}"; do dpkg -s "$package" >/dev/null 2>&1 || missing+=("$package"); done
  [ ${#missing[@]} = 0 ] || { apt-get update && apt-get install -y --no-install-recommends "${missing[@]}"; } >/dev/null
  cd "$dir"
  echo '{ "name": "user", "private": true }' >package.json
  # The last stable release whose package has the program in it.
  npm install --silent --no-audit --no-fund --ignore-scripts \
    @apiture/openapi-down-convert@0.14.2 @openapitools/openapi-generator-cli@1.0.18-4.3.1
}

start_mock() {
  node "$repo/dist/node/cli.js" --port 0 --log silent >ready &
  mock=$!
  for _ in $(seq 600); do [ -s ready ] && break; sleep 0.1; done
  MOCK_URL=$(sed 's/.* on //' ready)
  export MOCK_URL
  curl --silent --fail "$MOCK_URL/openapi.json" >api.json
  curl --silent --fail "$MOCK_URL/__admin/openapi.json" >control.json
}

convert() {
  npx --no-install openapi-down-convert --input "$1.json" --output "$1-30.yaml" >log
  node "$own/relax.js" <"$1-30.yaml" >"$1-30.json"
}

generate() {
  java -jar node_modules/@openapitools/openapi-generator-cli/bin/openapi-generator.jar generate \
    --generator-name "$1" --input-spec "$2-30.json" --output "$1/$2" --additional-properties "$3" >log 2>&1 ||
    { cat log >&2; exit 1; }
}

prepare_go() {
  mkdir -p gopath/src/paylink/use
  mv go-experimental/api go-experimental/control gopath/src/paylink
  rm gopath/src/paylink/*/go.mod
  cp "$own/clients/use.go" gopath/src/paylink/use/main.go
}

# Each client counts its own requests: the mock is reset before. Then it responds as a later release of the service could.
use() {
  local language=$1
  shift
  reset
  "$@"
  echo "other generators: $language creates, pays and verifies"
  reset
  curl --silent --fail --header 'Content-type: application/json' \
    --data '{ "times": null, "effect": { "evolve": true } }' "$MOCK_URL/__admin/faults" >log
  if "$@" >log 2>&1; then
    echo "other generators: $language works with a later release"
  else
    echo "other generators: $language fails with a later release: $(tail --lines 1 log)"
  fi
}

reset() {
  curl --silent --fail --request POST "$MOCK_URL/__admin/reset" >log
}

main
