#!/bin/sh
# Makes sure that an invoice has a payment link. The idempotency key is the same for all workers: two-keys.sh worker-1
set -e
. "$(dirname "$0")/client.sh"

echo "$1 is running"
found=$(call "$links?invoice=inv_7&status=active")
[ -n "$(echo "$found" | ids)" ] || create_link inv_7 -H 'Idempotency-Key: payment-link-inv_7'
