/** A row with the names of its columns, so that it says something by itself. */
export function rowText(names: readonly string[], cells: readonly string[]): string {
  return cells
    .map((cell, at) => ({ name: names[at]?.trim() ?? '', cell: cell.trim() }))
    .filter(({ cell }) => cell !== '')
    .map(({ name, cell }) => (name === '' || name === cell ? cell : `${name}: ${cell}`))
    .join('; ')
}
