/** How this browser's key is called in the list of keys, so that it is known when it is to be ended. */
export function thisDevice(): string {
  const { userAgent } = navigator
  const browser = ['Edg', 'Firefox', 'Chrome', 'Safari'].find((name) => userAgent.includes(`${name}/`))
  const system = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac', 'Linux'].find((name) =>
    userAgent.includes(name),
  )
  return `${browser === 'Edg' ? 'Edge' : (browser ?? 'Browser')}${system ? ` on ${system}` : ''}`
}
