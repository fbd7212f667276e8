import { readFile } from 'node:fs/promises'
import { ProviderRow } from '@switchroom/contract/providers'
import { Ajv } from 'ajv'
import { Refusal } from '../../foundation/refusals.ts'
import { SettingError } from '@switchroom/process/setting-reader'
import { refuseMalformed } from './row-parsing.ts'

/** Reads the row from a file, which may name vendors that are not installed. */
export async function readRowFile(file: string): Promise<ProviderRow> {
  const document = await parsed(file)
  const isRow = new Ajv({ strict: false }).compile<ProviderRow>(ProviderRow)
  if (!isRow(document)) {
    const first = isRow.errors?.[0]
    throw broken(file, `${first?.instancePath.slice(1).replaceAll('/', '.')} ${first?.message}`)
  }
  try {
    refuseMalformed(document)
  } catch (error) {
    throw error instanceof Refusal ? broken(file, error.message) : error
  }
  return document
}

async function parsed(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    const isUnread = (error as NodeJS.ErrnoException).code !== undefined
    throw broken(file, isUnread ? 'it cannot be read' : 'it is not JSON')
  }
}

const broken = (file: string, why: string) =>
  new SettingError(`the providers row of ${file} cannot be used: ${why.trim()}; SVC_PROVIDERS names the file`)
