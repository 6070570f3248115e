# Signs up a user in one step.
require_relative 'client'

call('POST', '/users', { email: 'ada@example.com', metadata: { complete: true } })
