/** The label of this browser's key in the list of keys. */
export function thisDevice(): string {
  const { userAgent } = navigator
  const browser = ['Edg', 'Firefox', 'Chrome', 'Safari'].find((name) => userAgent.includes(`${name}/`))
  const system = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac', 'Linux'].find((name) =>
    userAgent.includes(name),
  )
  return `${browser === 'Edg' ? 'Edge' : (browser ?? 'Browser')}${system ? ` on ${system}` : ''}`
}
