import { getDocumentProxy } from 'unpdf'
import { UnreadableDocument, type Block } from '../blocks.ts'
import { linesOf, type Line, type PlacedText } from './pdf-lines.ts'
import { pageBlocks } from './pdf-blocks.ts'

const mostPages = 5000

export async function pdfBlocks(content: Buffer): Promise<Iterable<Block>> {
  const document = await getDocumentProxy(new Uint8Array(content), {
    stopAtErrors: false,
    verbosity: 0,
    useSystemFonts: false,
    disableFontFace: true,
  }).catch((error: Error) => {
    throw new UnreadableDocument(whyNot(error))
  })
  if (document.numPages > mostPages)
    throw new UnreadableDocument(
      `it has ${document.numPages} pages, and a document has at most ${mostPages}: split it`,
    )
  const pages: Line[][] = []
  let failed = 0
  for (let number = 1; number <= document.numPages; number += 1) {
    try {
      const page = await document.getPage(number)
      const { items } = await page.getTextContent()
      pages.push(linesOf(items.filter((item): item is typeof item & PlacedText => 'str' in item)))
      page.cleanup()
    } catch {
      failed += 1 // a damaged page is left out, as viewers do
      pages.push([])
    }
  }
  if (failed === pages.length) throw new UnreadableDocument('it is damaged: none of its pages can be read')
  if (pages.every((lines) => lines.length === 0))
    throw new UnreadableDocument('it holds no text: a scan has to be recognised by a program first')
  return pageBlocks(pages)
}

function whyNot({ name }: Error): string {
  return name === 'PasswordException'
    ? 'it is encrypted with a password: save it without one'
    : 'it is no PDF file that can be read: it may be damaged'
}
