import type { Aging } from '../foundation/retention-settings.ts'
import { statement, type Queryable } from './database.ts'

const id = statement<{ id: string }>('select id::text from deployment')

/** The same for every gateway of the deployment, and for no other deployment. */
export async function readDeploymentId(database: Queryable): Promise<string> {
  const row = await database.row(id)
  if (!row) throw new Error('the deployment has a row once its vault key is claimed')
  return row.id
}

const lives = statement<{ lives: Partial<Record<Aging, number>> }>('select lives from deployment')

/** For how many days what ages was usually kept when the deployment began; what is not named is kept for ever. */
export const readUsualLives = async (database: Queryable) => (await database.row(lives))?.lives ?? {}
