import { resolve } from 'node:path'
import { packageFolder } from '../package-folder.ts'

/** The checkout that this program belongs to; a program that npm installed belongs to none. */
export const checkout = resolve(packageFolder, '..')
