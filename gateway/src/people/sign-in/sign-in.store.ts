import { statement, type Queryable } from '../../database/database.ts'

const hashOfPerson = statement<{ password_hash: string | null }>(`
  select password_hash from persons where email = $1`)

export const findPasswordHash = async (database: Queryable, email: string) =>
  (await database.row(hashOfPerson, email))?.password_hash ?? undefined
