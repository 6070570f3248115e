#!/usr/bin/env bash
# Proves: Container.
# Builds the Dockerfile and runs the image as a hardened engine would, without an engine.
# `image.sh --run 'COMMAND'` also runs COMMAND against it, with BASE_URL and ADMIN_TOKEN set.
set -euo pipefail

repo=$(cd "$(dirname "$0")/../../.." && pwd)
image=paylink-mock:ci
stand_in=localhost/base:ci
client=

main() {
  parse_arguments "$@"
  require_tools
  prepare
  echo 'container: importing the stand-in base'
  import_base
  echo 'container: building the Dockerfile'
  build_image
  check_contents
  start
  check_running
  run_client
  check_stop
  echo 'container: ok'
}

parse_arguments() {
  case "$#:${1-}" in
    0:) ;;
    2:--run) client=$2 ;;
    *) echo "usage: image.sh [--run 'COMMAND']" >&2; exit 2 ;;
  esac
}

require_tools() {
  local tool
  for tool in node npm curl ldd nsenter pgrep pkill unshare setpriv chroot; do
    command -v "$tool" >/dev/null || skip "there is no $tool"
  done
  unshare --pid --fork --mount true 2>/dev/null || skip 'no privilege to unshare namespaces (root is needed)'
  command -v buildah >/dev/null && return
  # Where nobody reads the output a skip would pass for a success.
  [ "${CI-}" = true ] || skip 'there is no buildah'
  { apt-get update && apt-get install -y --no-install-recommends buildah; } >&2 || fail 'buildah could not be installed'
}

prepare() {
  dir=$(mktemp -d)
  server=
  trap clean_up EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
}

clean_up() {
  [ -z "$server" ] || { pkill -KILL -P "$server"; kill -KILL "$server"; } 2>/dev/null || true
  storage umount --all >/dev/null 2>&1 || true
  storage rm --all >/dev/null 2>&1 || true
  # A mount that was left behind must not be emptied.
  rm -rf --one-file-system "$dir"
}

storage() {
  buildah --root "$dir/store" --runroot "$dir/run" --storage-driver vfs "$@"
}

# The host's own node in place of the base image: it proves the steps, not the real base image.
import_base() {
  local base=$dir/base container
  make_base_tree "$base"
  container=$(storage from scratch)
  storage copy --quiet "$container" "$base" / >/dev/null
  # The real base has both of these, and the Dockerfile must get rid of them.
  storage config --entrypoint '["docker-entrypoint.sh"]' --cmd node \
    --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$container"
  storage commit --quiet --rm "$container" "$stand_in" >/dev/null
  rm -rf "$base"
}

make_base_tree() {
  local base=$1 npm tool
  mkdir -p "$base"/{bin,dev,etc,home/node,proc,root,sys,tmp,usr/bin,usr/local/bin,usr/local/lib/node_modules}
  chmod 1777 "$base/tmp"
  add_program "$(node -p process.execPath)" "$base/usr/local/bin/node" "$base"
  add_program "$(command -v sh)" "$base/bin/sh" "$base"
  # A real base has the whole C library; the bundler of the build needs a part that Node does not.
  add_library librt.so.1 "$base"
  for tool in env setpriv; do add_program "$(command -v "$tool")" "$base/usr/bin/$tool" "$base"; done

  npm=$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")
  cp -RL "$npm" "$base/usr/local/lib/node_modules/npm"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$base/usr/local/bin/npm"

  printf '%s\n' 'root:x:0:0::/root:/bin/sh' 'node:x:1000:1000::/home/node:/bin/sh' >"$base/etc/passwd"
  printf '%s\n' 'root:x:0:' 'node:x:1000:' >"$base/etc/group"
  carry_npm_settings "$base"
}

add_program() {
  local from=$1 to=$2 base=$3 library
  cp -L "$from" "$to"
  for library in $(ldd "$from" | grep -o '/[^ ]*'); do
    cp -L --parents "$library" "$base"
  done
}

add_library() {
  local name=$1 base=$2 library
  library=$(ldconfig -p | grep -o "/[^ ]*/$name\$" | head -n 1)
  cp -L --parents "$library" "$base"
}

# How this host reaches the registry belongs to the base here, so that the Dockerfile need not know.
carry_npm_settings() {
  local base=$1 npmrc=$1/usr/local/etc/npmrc bundle=/etc/ssl/certs/ca-certificates.crt file
  mkdir -p "$base/etc/ssl/certs" "$(dirname "$npmrc")"
  echo "registry=$(npm_setting registry)" >"$npmrc"
  echo "cafile=$bundle" >>"$npmrc"
  # npm takes the file instead of node's own certificates, so they are in it too.
  node -p 'require("node:tls").rootCertificates.join("\n")' >"$base$bundle"
  for file in "${NODE_EXTRA_CA_CERTS-}" "$(npm_setting cafile)"; do
    [ ! -f "$file" ] || cat "$file" >>"$base$bundle"
  done
}

# Asked outside the repository, whose own settings reach the build with it or not at all.
npm_setting() {
  (cd / && npm config get "$1" 2>/dev/null)
}

build_image() {
  # The docker format keeps HEALTHCHECK, which OCI does not have.
  storage build --isolation chroot --network host --pull-never --format docker \
    --file "$repo/Dockerfile" --build-arg "NODE_IMAGE=$stand_in" --tag "$image" "$repo" >"$dir/build.log" 2>&1 ||
    { cat "$dir/build.log" >&2; fail 'the Dockerfile does not build'; }
  storage inspect --type image "$image" >"$dir/image.json"
  root=$(storage mount "$(storage from --pull-never "$image")")
  mapfile -t entrypoint < <(config Entrypoint)
  mapfile -t variables < <(config Env)
  mapfile -t health < <(config Healthcheck.Test | tail -n +2)
  user=$(config User)
}

# One line for each element of a setting of the image.
config() {
  node -e '
    const [file, path] = process.argv.slice(1)
    const { config } = JSON.parse(require("node:fs").readFileSync(file, "utf8")).Docker
    const value = path.split(".").reduce((found, key) => found?.[key], config) ?? []
    for (const line of [value].flat()) console.log(line)
  ' "$dir/image.json" "$1"
}

check_contents() {
  local name
  [ "$(LC_ALL=C ls "$root/app" | tr '\n' ' ')" = 'LICENSE dist fixtures package.json ' ] || fail "the image holds $(ls "$root/app")"
  equal 'flags after the entry point' '' "$(config Cmd)"
  [ -s "$root/app/dist/THIRD-PARTY.txt" ] || fail 'the image has no THIRD-PARTY.txt'
  [ "$(config Healthcheck.Test | head -n 1)" = CMD ] || fail 'the image has no HEALTHCHECK of its own'
}

start() {
  port=$(node -p 'const s = require("node:net").createServer().listen(0); const { port } = s.address(); s.close(); port')
  token=$(node -p 'crypto.randomUUID()')
  # A flag overrides the variable, also for the health check.
  variables+=('PAYLINK_MOCK_PORT=1' "PAYLINK_MOCK_ADMIN_TOKEN=$token")
  url=http://127.0.0.1:$port
  prepare_sandbox
  "${in_image[@]}" "${entrypoint[@]}" --port "$port" >"$dir/stdout" 2>"$dir/stderr" &
  server=$!
  await 10 '[ -s "$dir/stdout" ]' || fail 'no ready line within 10 s'
  init=$(pgrep -P "$server") || fail 'the image did not stay up'
}

# What a hardened container gives: its own processes, a read-only root, no capabilities. setpriv comes
# from the image (util-linux is in Debian's slim).
prepare_sandbox() {
  local enter='
    mount --rbind "$0" "$0"
    mount -o remount,bind,ro "$0"
    mount --rbind /dev "$0/dev"
    exec chroot "$0" "$@"'
  as_user=(setpriv --reuid "${user%:*}" --regid "${user#*:}" --clear-groups
    --inh-caps=-all --bounding-set=-all --no-new-privs env -i "${variables[@]}")
  in_image=(unshare --pid --fork --mount --mount-proc="$root/proc" sh -euc "$enter" "$root" "${as_user[@]}")
}

# Runs a command beside the server, as an engine runs a health check.
beside_server() {
  nsenter --target "$init" --pid --mount --root --wd "${as_user[@]}" "$@"
}

check_running() {
  equal 'stdout' "paylink-mock ready on $url" "$(cat "$dir/stdout")"
  equal 'the user' 1000 "$(of_init Uid)"
  equal 'the capabilities in effect' 0000000000000000 "$(of_init CapEff)"
  equal 'the capabilities within reach' 0000000000000000 "$(of_init CapBnd)"
  curl -fsS --noproxy '*' --max-time 5 "$url/healthz" | grep -q '"status": *"ok"' || fail 'GET /healthz does not say ok'
  beside_server "${health[@]}" >"$dir/health" 2>&1 || fail "health fails while the server runs: $(cat "$dir/health")"
  "${in_image[@]}" node -e '
    const write = () => require("node:fs").writeFileSync("/tmp/file", "")
    require("node:assert").throws(write, { code: "EROFS" })
  ' 2>"$dir/write" || fail "the file system is not read-only: $(cat "$dir/write")"
}

of_init() {
  awk -v key="$1:" '$1 == key { print $2 }' "/proc/$init/status"
}

run_client() {
  [ -n "$client" ] || return 0
  echo "container: running the client against $url"
  BASE_URL=$url ADMIN_TOKEN=$token bash -c "$client" || fail "the client ended with $?"
}

check_stop() {
  local status=0
  kill -TERM "$init"
  await 5 '! kill -0 "$server" 2>/dev/null' || fail 'SIGTERM does not stop it within 5 s'
  wait "$server" || status=$?
  server=
  equal 'the exit code after SIGTERM' 0 "$status"
  equal 'stdout' "paylink-mock ready on $url" "$(cat "$dir/stdout")"
  ! "${in_image[@]}" "${health[@]}" >/dev/null 2>&1 || fail 'health succeeds with no server running'
}

# `await SECONDS CONDITION`: false when CONDITION did not come true in time.
await() {
  local deadline=$((SECONDS + $1))
  until eval "$2"; do
    [ "$SECONDS" -lt "$deadline" ] || return 1
    sleep 0.1
  done
}

equal() {
  [ "$2" = "$3" ] || fail "$1: expected '$2', got '$3'"
}

skip() {
  echo "container: skipped, $1"
  exit 0
}

fail() {
  [ ! -s "${dir-}/stderr" ] || sed 's/^/  stderr: /' "$dir/stderr" >&2
  echo "container: failed, $1" >&2
  exit 1
}

main "$@"
