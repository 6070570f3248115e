# Functions of a client of the project acme, for programs that `explore` runs. They fail for an error and a broken connection.
call() {
  curl -sf -H 'Authorization: Bearer any' -H 'Accept: application/json' -H 'Content-Type: application/json' "$@"
}
links="$BASE_URL/projects/acme/paymentLinks"

# create [invoice]
create() {
  call "$links" -d '{"invoice":"'"${1:-inv_77}"'","type":"partner","partner":{"user":{}}}' >/dev/null
}

# Prints the ids of the active links.
find_links() {
  found=$(call "$links?invoice=inv_77&status=active") || return 1
  echo "$found" | grep -o '"pml_[A-Za-z0-9]*"' | tr -d '"'
}

cancel_links() {
  active=$(find_links) || return 1
  for link in $active; do call -X POST "$links/$link/cancel" >/dev/null || return 1; done
}
