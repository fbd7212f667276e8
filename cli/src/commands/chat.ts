import { agentArgument, type Command } from '../invocation/command.ts'
import { Conversation } from './conversation.ts'
import { failureOf } from '../terminal/failures.ts'

const chat: Command = {
  name: 'chat',
  summary: 'chat with an agent',
  details:
    'Piped input is sent line by line, each line after the answer to the one before. With --json each message\nis one line. Ctrl-D ends the conversation.',
  arguments: [agentArgument],
  options: [{ name: 'contact', value: 'number', summary: "the contact's number, such as +34911234567" }],
  examples: ['svc chat hello', 'echo "What time is it?" | svc chat hello', 'svc chat hello --json'],
  async run(invocation) {
    const { out, isJson } = invocation
    const { url, key = '', env } = await invocation.client()
    const agent = invocation.argument('agent')
    const contact = invocation.option('contact')
    const { openChat } = await import('@switchroom/sdk/chat') // with a socket, which no other command needs
    const opened = openChat({
      url,
      key,
      agent,
      ...(env && { env }),
      ...(contact !== undefined && { contact }),
    })
    await new Conversation(opened, { agent, url, out, isJson }).run().catch((error: unknown) => {
      throw failureOf(error) ?? error
    })
  },
}

export const chatCommands = [chat]
