/** The data of every event of an event stream. */
export const eventsIn = (text: string): Record<string, unknown>[] =>
  text
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => JSON.parse(event.replace(/^data: /, '')) as Record<string, unknown>)
