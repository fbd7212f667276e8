/** Numbers for a vendor's speakers: from 0, in the order in which they are first heard. */
export function speakerNumbers(): (label: string | number) => number {
  const numbers = new Map<string | number, number>()
  return (label) => {
    const number = numbers.get(label) ?? numbers.size
    numbers.set(label, number)
    return number
  }
}
