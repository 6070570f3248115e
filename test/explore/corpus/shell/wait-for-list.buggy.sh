#!/bin/sh
# Makes sure that an invoice has a payment link, and waits until the list shows it.
set -e
. "$(dirname "$0")/client.sh"

found=$(call "$links?invoice=inv_7&status=active,completed")
if [ -z "$(echo "$found" | ids)" ]; then
  created=$(create_link inv_7)
  link=$(echo "$created" | ids)
  until call "$links?invoice=inv_7&status=active" | grep -q "$link"; do sleep 0.01; done
fi
