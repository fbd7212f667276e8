/**
 * Licences under which a package may ship with the product, which is Apache-2.0. With MPL-2.0 its own files stay under
 * it, with the LGPL it stays a package of its own that a user may replace: both are shipped unchanged.
 */
const permissive =
  '0BSD Apache-2.0 BlueOak-1.0.0 BSD-2-Clause BSD-3-Clause CC0-1.0 ISC MIT MIT-0 Unlicense Zlib'
const keptApart = 'LGPL-2.1-or-later LGPL-3.0-or-later MPL-2.0'
const fitting = new Set([permissive, keptApart].flatMap((licences) => licences.split(' ')))

/** Packages with another licence or none stated, and why they ship nevertheless. */
export const exceptions: Record<string, string> = {
  '@echogarden/espeak-ng-emscripten':
    'GPL: the voice of `local`, a program of its own that is spoken to over stdio',
  '@switchroom/local-voice': 'GPL: the program around espeak-ng, which an operator may leave out',
  '@livekit/local-inference':
    'its voice detection is Apache-2.0; its turn model may be used with LiveKit Agents alone (docs/decisions/0016-licences-of-what-ships.md)',
  '@audio/decode-aac': 'GPL: a part of the decoder, which runs as a program of its own',
  '@audio/decode-ac3': 'GPL: a part of the decoder, which runs as a program of its own',
  '@audio/decode-dts': 'GPL: a part of the decoder, which runs as a program of its own',
}

/** What the licence file of a package says if its `package.json` names none of SPDX. */
export const byLicenceFile: Record<string, string> = { duck: 'BSD-2-Clause' }

/** Whether one of the choices that a licence expression of SPDX gives is among those that fit. */
export function fits(expression: string): boolean {
  const tokens = expression.match(/[()]|[^\s()]+/g) ?? []
  let at = 0
  const isNext = (word: string) => tokens[at]?.toUpperCase() === word && (at += 1) > 0
  const one = (): boolean => {
    if (!isNext('(')) return fitting.has(tokens[at++] ?? '')
    const inner = any()
    return isNext(')') && inner
  }
  const all = (): boolean => {
    let result = one()
    while (isNext('AND')) result = one() && result
    return result
  }
  const any = (): boolean => {
    let result = all()
    while (isNext('OR')) result = all() || result
    return result
  }
  return any() && at === tokens.length
}
