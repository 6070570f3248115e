// Loaded in front of a program (`--import`): says on stderr when that opens a connection, asks a name server or starts a
// process.
import childProcess from 'node:child_process'
import dgram from 'node:dgram'
import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'

const report = (what) => process.stderr.write(`OUTBOUND ${what}\n`)

const watch = (object, names, isHarmless = () => false) => {
  for (const name of names) {
    const original = object[name]
    object[name] = function (...args) {
      if (!isHarmless(args)) report(name)
      return original.apply(this, args)
    }
  }
}

watch(net.Socket.prototype, ['connect'])
watch(dgram.Socket.prototype, ['bind', 'connect', 'send'])
watch(childProcess, ['spawn', 'fork', 'exec', 'execFile', 'spawnSync', 'execSync', 'execFileSync'])
// A server that binds an address looks it up, and finds it without asking anybody.
watch(dns, ['lookup'], ([host]) => net.isIP(host) !== 0)
const asking = (object) => Object.keys(object).filter((name) => /^(?:resolve|reverse|lookupService)/.test(name))
watch(dns, asking(dns))
watch(dns.promises, [...asking(dns.promises), 'lookup'])
syncBuiltinESMExports()
