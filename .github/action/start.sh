#!/usr/bin/env bash
# Starts the mock, and passes its address to the later steps. GitHub ends the mock with the job.
set -euo pipefail

log="$RUNNER_TEMP/paylink-mock.log"
: >"$log"
nohup node "$GITHUB_ACTION_PATH/dist/cli/cli.js" >"$log" 2>&1 &
until url=$(sed -n 's/^paylink-mock ready on //p' "$log") && [ -n "$url" ]; do
  kill -0 $! 2>/dev/null || { cat "$log" >&2; exit 1; }
  sleep 0.1
done
echo "url=$url" >>"$GITHUB_OUTPUT"
printf '%s\n' "PAYLINK_MOCK_URL=$url" "BASE_URL=$url" >>"$GITHUB_ENV"
echo "paylink-mock listens on $url. Its log is in $log."
