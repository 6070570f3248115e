// Timers of a second or more never fire: what ends beside this module ends because of an event, on any machine.
const { setTimeout } = globalThis

globalThis.setTimeout = (act, milliseconds, ...rest) =>
  milliseconds >= 1000 ? setTimeout(() => {}, 2 ** 31 - 1).unref() : setTimeout(act, milliseconds, ...rest)
