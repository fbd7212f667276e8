type Colour = readonly [red: number, green: number, blue: number]

const white: Colour = [255, 255, 255]
const black: Colour = [0, 0, 0]
const lightGround: Colour = [238, 240, 243]
const darkGround: Colour = [36, 40, 47]
/** Minimum contrast of text in WCAG AA. */
const readable = 4.5
/** Share of the accent in the background of a selected item. */
const tint = 0.16

export interface AccentInks {
  /** Text on the accent. */
  onAccent: string
  /** Mixed into the accent on hover, so that its text stays readable. */
  offAccent: string
  onLight: string
  onDark: string
}

/** Readable colors for any accent: text on it, and the accent as text on light and dark backgrounds. */
export function accentInks(accent: string): AccentInks {
  const colour = parsed(accent)
  const onAccent = contrast(colour, white) >= readable ? white : black
  return {
    onAccent: written(onAccent),
    offAccent: written(onAccent === white ? black : white),
    onLight: written(mixedUntilReadable(colour, black, mixed(lightGround, colour, tint))),
    onDark: written(mixedUntilReadable(colour, white, mixed(darkGround, colour, tint))),
  }
}

function mixedUntilReadable(colour: Colour, towards: Colour, ground: Colour): Colour {
  for (let share = 0; share < 1; share += 0.05) {
    const shade = mixed(colour, towards, share)
    if (contrast(shade, ground) >= readable) return shade
  }
  return towards
}

function mixed(colour: Colour, other: Colour, share: number): Colour {
  const [red, green, blue] = colour
  const part = (one: number, another: number) => Math.round(one + (another - one) * share)
  return [part(red, other[0]), part(green, other[1]), part(blue, other[2])]
}

function contrast(a: Colour, b: Colour): number {
  const [darker = 0, lighter = 0] = [luminance(a), luminance(b)].toSorted((one, other) => one - other)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance([red, green, blue]: Colour): number {
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

function linear(part: number): number {
  const share = part / 255
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
}

function parsed(accent: string): Colour {
  const digits = Number.parseInt(accent.slice(1), 16)
  return [(digits >> 16) & 255, (digits >> 8) & 255, digits & 255]
}

const written = (colour: Colour) => `#${colour.map((part) => part.toString(16).padStart(2, '0')).join('')}`
