#!/usr/bin/env bash
# Runs the examples in other languages against the command line: all, or those named. Installs what they need from Debian.
# Then each gets a test that fails on purpose, and must print the report of its project, and no other report. At last, clients
# with the retry libraries of the language are explored.
set -euo pipefail
cd "$(dirname "$0")/../../.."
repo=$PWD

declare -A packages=(
  [python]='python3-pytest python3-urllib3 python3-requests python3-tenacity python3-httpx'
  [go]='golang-go golang-github-hashicorp-go-retryablehttp-dev'
  [java]='default-jdk-headless junit5 libjackson2-databind-java'
  [ruby]='ruby-rspec ruby-faraday'
  [php]='phpunit'
)
declare -A tests=(
  [python]='python3 -m pytest -p pytest_paylink_mock'
  [go]='go test ./...'
  [java]='sh run-tests.sh'
  [ruby]='rspec'
  [php]='phpunit tests'
)

dir=$(mktemp -d)
mock=
trap '[ -z "$mock" ] || kill "$mock"; rm -rf "$dir"' EXIT

main() {
  [ $# -gt 0 ] || set -- "${!packages[@]}"
  for language; do
    [ -n "${packages[$language]:-}" ] || { echo "Unknown language $language. There are: ${!packages[*]}" >&2; exit 2; }
  done
  install $(for language; do echo "${packages[$language]}"; done)
  start_mock
  # Debian's interpreters find Debian's packages.
  PATH=/usr/bin:$PATH
  for language; do
    try "$language" || { cat "$dir/log" >&2; echo "languages: $language failed" >&2; exit 1; }
  done
  for language; do
    case $language in python | ruby | go) node "$repo/test/quality/retries/retries.js" "$language" ;; esac
  done
  echo 'languages: ok'
}

install() {
  local package missing=()
  for package; do dpkg -s "$package" >/dev/null 2>&1 || missing+=("$package"); done
  [ ${#missing[@]} = 0 ] || { apt-get update && apt-get install -y --no-install-recommends "${missing[@]}"; } >/dev/null
}

start_mock() {
  export PAYLINK_MOCK_ADMIN_TOKEN=secret
  node dist/cli/cli.js --port 0 --seed empty --log silent >"$dir/ready" &
  mock=$!
  for _ in $(seq 600); do [ -s "$dir/ready" ] && break; sleep 0.1; done
  PAYLINK_MOCK_URL=$(sed 's/.* on //' "$dir/ready")
  export PAYLINK_MOCK_URL
}

try() {
  echo "languages: $1"
  # A folder of its own, as a user would copy it.
  cp -r "$repo/examples/$1" "$dir/$1"
  cd "$dir/$1"
  if [ "$1" = python ]; then try_plugin || return 1; else
    ! env -u PAYLINK_MOCK_URL ${tests[$1]} >"$dir/log" 2>&1 || return 1
    grep -q 'Set PAYLINK_MOCK_URL and PAYLINK_MOCK_ADMIN_TOKEN to those of a running mock\.' "$dir/log" || return 1
  fi
  ${tests[$1]} >"$dir/log" 2>&1 || return 1
  cp "$repo/examples/project-ids.json" "$dir"
  cp -r "$repo/test/quality/languages/vectors/$1/." .
  ${tests[$1]} >"$dir/log" 2>&1 || return 1
  cp -r "$repo/test/quality/languages/failing/$1/." .
  ! ${tests[$1]} >"$dir/log" 2>&1 || return 1
  [[ $(grep -o "Project '[^']*'" "$dir/log" | grep -v is-unused) =~ ^"Project '"[a-z-]*fails-?on-?purpose-[0-9a-f]{16}"'"$ ]] || return 1
  [ "$1" != python ] || grep -q 'A fault never applied: .*"hits": 0' "$dir/log"
}

# The plugin of pytest starts a mock of its own, and a project is only an id where there is no control API.
try_plugin() {
  mkdir "$dir/bin"
  printf '#!/bin/sh\nshift\nexec node "%s" "$@"\n' "$repo/dist/cli/cli.js" >"$dir/bin/npx"
  chmod +x "$dir/bin/npx"
  env -u PAYLINK_MOCK_URL -u PAYLINK_MOCK_ADMIN_TOKEN PATH="$dir/bin:$PATH" ${tests[python]} >"$dir/log" 2>&1 || return 1
  printf 'def test_control(paylink_project):\n    paylink_project.control("GET", "/report")\n' >"$dir/test_control.py"
  PYTHONPATH=. PAYLINK_MOCK_URL="$PAYLINK_MOCK_URL/nowhere" ${tests[python]} -rs "$dir/test_control.py" >"$dir/log" 2>&1
  grep -q 'There is no control API here' "$dir/log"
}

main "$@"
