// npm run pack: the packages that authors install, as npm would publish them.
import { relative } from 'node:path'
import { root } from '../test-files.ts'
import { packPackages } from './tarballs.ts'

for (const { file, bytes, files } of await packPackages())
  process.stdout.write(`${relative(root, file)}: ${files.length} files, ${Math.ceil(bytes / 1000)} kB\n`)
