/** The text of each such element, in an answer whose elements have no attributes that matter to us. */
export function elementsIn(xml: string, name: string): string[] {
  const found: string[] = []
  const [opening, closing] = [`<${name}>`, `</${name}>`]
  for (let at = xml.indexOf(opening); at !== -1; at = xml.indexOf(opening, at)) {
    const end = xml.indexOf(closing, at)
    if (end === -1) break
    found.push(xml.slice(at + opening.length, end))
    at = end + closing.length
  }
  return found
}

export const elementIn = (xml: string, name: string): string | undefined => elementsIn(xml, name)[0]

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

export const escaped = (text: string) => text.replace(/[&<>"]/g, (mark) => escapes[mark] ?? mark)
