/** Zones by the first digits of a number, several joined by `&`. */
export type ZoneTable = ReadonlyMap<string, string>

/**
 * The zones a number could be in: those of its longest prefix in the table, of its calling code alone if it is
 * answered anywhere. What the table says of calling code 1 as a whole is every zone of that plan, which is as good
 * as none.
 */
export function zonesIn(
  table: ZoneTable,
  number: string,
  callingCode: string,
  isPlaceless: (number: string) => boolean,
): readonly string[] {
  const prefix = longestPrefix(table, number.slice(1))
  if (prefix === undefined) return []
  const isOfWholePlan = prefix.length <= callingCode.length || isPlaceless(number)
  if (isOfWholePlan && callingCode === '1') return []
  return table.get(isOfWholePlan ? callingCode : prefix)?.split('&') ?? []
}

function longestPrefix(table: ZoneTable, digits: string): string | undefined {
  for (let length = digits.length; length > 0; length -= 1) {
    const prefix = digits.slice(0, length)
    if (table.has(prefix)) return prefix
  }
  return undefined
}
