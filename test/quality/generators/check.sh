#!/usr/bin/env bash
# Generates clients from both OpenAPI documents with four generators, compiles them as strictly as a user may, and uses
# them against a mock. The releases are those that run on Node 20.
set -euo pipefail
cd "$(dirname "$0")/../../.."
repo=$PWD

dir=$(mktemp -d)
mock=
trap '[ -z "$mock" ] || kill "$mock"; rm -rf "$dir"' EXIT

main() {
  node .build.js
  cp test/quality/generators/clients/*.ts "$dir"
  cd "$dir"
  install
  start_mock
  for name in api control; do generate "$name"; done
  compile
  for client in openapi-typescript orval hey-api swagger-typescript-api; do use "$client"; done
  echo 'generators: ok'
}

install() {
  echo '{ "name": "user", "private": true }' >package.json
  npm install --silent --no-audit --no-fund \
    openapi-typescript@7.13.0 openapi-fetch@0.17.0 orval@7.13.0 @hey-api/openapi-ts@0.95.0 \
    swagger-typescript-api@13.13.0 typescript@5.9.3 @types/node@20.19.43
}

start_mock() {
  node "$repo/dist/cli/cli.js" --port 0 --log silent >ready &
  mock=$!
  for _ in $(seq 600); do [ -s ready ] && break; sleep 0.1; done
  MOCK_URL=$(sed 's/.* on //' ready)
  export MOCK_URL
  curl --silent --fail "$MOCK_URL/openapi.json" >api.json
  curl --silent --fail "$MOCK_URL/__admin/openapi.json" >control.json
}

generate() {
  echo "generators: $1"
  npx --no-install openapi-typescript "$1.json" --output "openapi-typescript/$1.ts" >log
  cat >orval.config.cjs <<EOF
const override = { mutator: { path: './orval-call.ts', name: 'call' } }
module.exports = { $1: { input: './$1.json', output: { target: './orval/$1.ts', client: 'fetch', override } } }
EOF
  npx --no-install orval --config orval.config.cjs >log
  npx --no-install openapi-ts --input "$1.json" --output "hey-api/$1" --client @hey-api/client-fetch >log
  npx --no-install swagger-typescript-api generate --path "$1.json" --output swagger-typescript-api --name "$1.ts" >log
}

compile() {
  npx --no-install tsc --strict --target es2022 --lib es2023,dom,dom.iterable --types node --skipLibCheck \
    --module commonjs --moduleResolution node10 --outDir out ./*.ts
}

# Each client counts its own requests: the mock is reset before.
use() {
  reset
  node "out/$1.js"
  try_later "$1" 'fields, order and times' true
  ADDED_STATUS=addedStatus try_later "$1" 'values as well' '["fields", "order", "times", "values"]'
}

reset() {
  curl --silent --fail --request POST "$MOCK_URL/__admin/reset" >log
}

# Whether new values are compatible is disputed, so a client may fail here.
try_later() {
  reset
  curl --silent --fail --header 'Content-type: application/json' \
    --data "{ \"times\": null, \"effect\": { \"evolve\": $3 } }" "$MOCK_URL/__admin/faults" >log
  if node "out/$1.js" >log 2>&1; then
    echo "generators: $1 works with a later release: $2"
  else
    echo "generators: $1 fails with a later release: $2: $(grep --max-count 1 Error log)"
  fi
}

main
