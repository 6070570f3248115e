#!/bin/sh
# Makes sure that an invoice has a payment link. The idempotency key has the name of the worker: two-keys.sh worker-1
set -e
. "$(dirname "$0")/client.sh"

found=$(call "$links?invoice=inv_7&status=active")
[ -n "$(echo "$found" | ids)" ] || create_link inv_7 -H "Idempotency-Key: $1-inv_7"
