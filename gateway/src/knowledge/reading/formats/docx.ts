import { unzipSync } from 'fflate'
import mammoth from 'mammoth'
import { UnreadableDocument, type Block } from '../blocks.ts'
import { htmlBlocks } from './html.ts'

const megabyte = 1024 * 1024
const mostUnpackedMb = 100
const mostParts = 5000
const withoutImages = mammoth.images.imgElement(async () => ({ src: '' }))

/** By the library that makes HTML of it, with headings, lists, tables and notes. */
export async function docxBlocks(content: Buffer): Promise<Iterable<Block>> {
  refuseBomb(content)
  const options = { convertImage: withoutImages, externalFileAccess: false }
  const { value } = await mammoth.convertToHtml({ buffer: content }, options).catch(() => {
    throw new UnreadableDocument('it is no DOCX file that can be read: save it again as .docx')
  })
  return htmlBlocks(value, 'part')
}

/** What the archive says of itself; one that lies is stopped by the limit of memory. */
function refuseBomb(content: Buffer) {
  let [bytes, parts] = [0, 0]
  let isDocument = false
  try {
    unzipSync(content, {
      filter: ({ name, originalSize }) => {
        bytes += originalSize
        parts += 1
        if (name === 'word/document.xml') isDocument = true
        return false
      },
    })
  } catch {
    throw new UnreadableDocument(whyNoArchive(content))
  }
  if (bytes > mostUnpackedMb * megabyte || parts > mostParts)
    throw new UnreadableDocument(`it unpacks to more than ${mostUnpackedMb} MB or ${mostParts} parts`)
  if (!isDocument && parts === 0) throw new UnreadableDocument(whyNoArchive(content))
}

/** A DOCX with a password is an archive of another kind, as are the older .doc files. */
const whyNoArchive = (content: Buffer) =>
  content.subarray(0, 4).toString('hex') === 'd0cf11e0'
    ? 'it is encrypted with a password, or an older .doc: save it as .docx without a password'
    : 'it is no DOCX file that can be read: save it again as .docx'
