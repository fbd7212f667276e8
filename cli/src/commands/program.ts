import type { Discovery } from '@switchroom/contract/discovery'
import type { Command } from '../invocation/command.ts'
import { version } from './version.ts'

const showVersion: Command = {
  name: 'version',
  summary: 'the version of svc and of the gateway',
  examples: ['svc version', 'svc version --json'],
  async run(invocation) {
    const { account, out } = invocation
    const gateway = await account
      .anonymous()
      .get<Discovery>('/.well-known/svc')
      .then((discovery) => discovery.version)
      .catch(() => null)
    invocation.answer({ svc: version, gateway, node: process.versions.node }, () => {
      out.line(`svc ${version}`)
      out.line(gateway === null ? `no gateway at ${account.url}` : `gateway ${gateway} at ${account.url}`)
    })
  },
}

export const programCommands = [showVersion]
