#!/bin/sh
# Makes sure that an invoice has a payment link, and waits until the list shows it, whatever its status, but not for ever.
set -e
. "$(dirname "$0")/client.sh"

found=$(call "$links?invoice=inv_7&status=active,completed")
[ -z "$(echo "$found" | ids)" ] || exit 0
created=$(create_link inv_7)
link=$(echo "$created" | ids)
for attempt in 1 2 3 4 5; do
  if call "$links?invoice=inv_7" | grep -q "$link"; then exit 0; fi
  sleep 0.01
done
echo "$link is not listed after $attempt attempts" >&2
exit 1
