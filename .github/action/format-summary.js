// Formats the report of `paylink-mock explore --json` as Markdown, with a Mermaid diagram for each block of failures.

/** Groups failures with the same error after the same calls. The first one of a group has the smallest schedule. */
export const groupFailures = ({ failures }) => {
  const groups = new Map()
  for (const failure of failures) {
    const key = JSON.stringify([failure.error, failure.schedule.map(({ call }) => call)])
    groups.set(key, [...(groups.get(key) ?? []), failure])
  }
  return [...groups.values()]
}

const formatCount = (count, noun) => `${count} ${noun}${count === 1 ? '' : 's'}`

export const formatSummary = (report) => {
  const { runs, calls, failures, notTried, caveats = [] } = report
  const groups = groupFailures(report)
  const end = failures.length === 0 ? '.' : `, with ${formatCount(failures.length, 'schedule')}.`
  return [
    '## paylink-mock explore',
    `${formatCount(runs, 'run')} with ${formatCount(calls, 'call')}: ${formatCount(groups.length, 'failure')}${end}`,
    ...groups.map(formatGroup),
    ...notTried.map(({ replay, why }) => `- Not tried: ${replay || '(no schedule)'}: ${why}`),
    ...caveats.map((caveat) => `- ${caveat}`),
    '',
  ].join('\n\n')
}

const formatGroup = ([failure, ...others]) =>
  [
    `### ${failure.error.replaceAll(/\s+/g, ' ')}`,
    `\`\`\`mermaid\n${formatDiagram(failure)}\n\`\`\``,
    `Repeat it:\n\n\`\`\`sh\n${failure.command}\n\`\`\``,
    ...(others.length > 0
      ? [`The same failure: ${others.map(({ replay }) => `\`--only ${replay}\``).join(', ')}`]
      : []),
  ].join('\n\n')

/** Formats the calls and events of a run. A lost request or response is an arrow with a cross. */
const formatDiagram = ({ requests, events }) => {
  const listEvents = (calls) =>
    events.filter((event) => event.calls === calls).map(({ text }) => `Note over program: ${escape(text)}`)
  const lines = requests.flatMap(({ method, path, status, fault }, index) => {
    const isLost = status === null && fault?.includes(' before ')
    return [
      ...listEvents(index),
      `program-${isLost ? 'x' : '>>'}mock: ${index + 1}. ${escape(`${method} ${path}`)}`,
      ...(fault === null ? [] : [`Note over program,mock: ${escape(fault)}`]),
      ...(isLost ? [] : [status === null ? 'mock--xprogram: no response' : `mock-->>program: ${status}`]),
    ]
  })
  const participants = ['participant program', 'participant mock']
  return ['sequenceDiagram', ...participants, ...lines, ...listEvents(requests.length)].join('\n  ')
}

/** Other characters have a meaning in Mermaid, in HTML, or in Markdown. */
const escape = (text) =>
  text.slice(0, 200).replace(/[^\w ./?=&:,@~()+*-]/gu, (character) => `#${character.codePointAt(0)};`)
