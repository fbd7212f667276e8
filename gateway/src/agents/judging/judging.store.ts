import type { Judging } from '@switchroom/contract/settings'
import { statement, type Queryable } from '../../database/database.ts'

const one = statement<Judging>(`select judge, judge_builds, judge_options from org_judging where org = $1`)

export const findJudging = (database: Queryable, org: string) => database.row(one, org)

const keep = statement(`
  insert into org_judging (org, judge, judge_builds, judge_options) values ($1, $2, $3, $4)
  on conflict (org) do update
  set judge = excluded.judge, judge_builds = excluded.judge_builds, judge_options = excluded.judge_options`)

export const keepJudging = (
  database: Queryable,
  org: string,
  { judge, judge_builds, judge_options }: Judging,
) => database.rows(keep, org, judge, judge_builds, judge_options && JSON.stringify(judge_options))

const remove = statement(`delete from org_judging where org = $1`)

export const deleteJudging = (database: Queryable, org: string) => database.rows(remove, org)
