import type { Infrastructure } from '../database/room.ts'
import type { HttpRoom } from '../http/room.ts'
import { LetterCounts } from './letter-counts.ts'
import { LetterTasks } from './letters.tasks.ts'
import { Letters } from './letters.ts'
import { Mailboxes } from './mailboxes.ts'
import { environmentMailbox } from './environment-mailbox.ts'

export type MailRoom = ReturnType<typeof makeMail>

/** Mailboxes, and letters on their way. */
export function makeMail(
  parts: Infrastructure & HttpRoom,
  handed: Pick<ConstructorParameters<typeof Mailboxes>[0], 'brand' | 'lockHoldingAll'>,
) {
  const { settings, clock, logger, vault, publicAddresses, database } = parts

  const mailboxes = new Mailboxes({
    database,
    clock,
    vault,
    addresses: publicAddresses,
    environment: environmentMailbox(settings),
    ...handed,
  })
  const letterCounts = new LetterCounts(parts.rateCounts, settings.limits)
  const letters = new Letters({ ...parts, mailboxes, letterCounts })
  const letterTasks = new LetterTasks(letters, parts.dueChecks, logger)

  return { mailboxes, letters, letterTasks }
}
