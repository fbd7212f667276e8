import makeCode from 'qrcode-generator'

const quietModules = 2

/** Two rows of the code to a line; with colours, black on white whatever the terminal's theme. */
export function qrCode(text: string, isColoured: boolean): { lines: string[]; width: number } {
  const code = makeCode(0, 'L')
  code.addData(text)
  code.make()
  const size = code.getModuleCount()
  const isDark = (row: number, column: number) =>
    row >= 0 && column >= 0 && row < size && column < size && code.isDark(row, column)
  const lines: string[] = []
  for (let row = -quietModules; row < size + quietModules; row += 2) {
    let line = ''
    for (let column = -quietModules; column < size + quietModules; column += 1)
      line += halves(isDark(row, column), isDark(row + 1, column), isColoured)
    lines.push(isColoured ? `\u001b[30;107m${line}\u001b[0m` : line)
  }
  return { lines, width: size + 2 * quietModules }
}

/** Without colours the light modules are drawn, for most terminals are dark. */
function halves(upper: boolean, lower: boolean, isColoured: boolean): string {
  const [isUpper, isLower] = isColoured ? [upper, lower] : [!upper, !lower]
  if (isUpper) return isLower ? '█' : '▀'
  return isLower ? '▄' : ' '
}
