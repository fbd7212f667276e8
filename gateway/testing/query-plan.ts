/** A node of `explain (analyze, format json)`. */
export interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: PlanNode[]
}

/** How many rows of tables a plan read. */
export function rowsRead(node: PlanNode): number {
  const own =
    node['Relation Name'] === undefined ? 0 : node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)
  const below = (node.Plans ?? []).reduce((sum, inner) => sum + rowsRead(inner), 0)
  return own * node['Actual Loops'] + below
}

/** How many rows of tables a statement reads. */
export async function plannedRows(
  sql: (text: string, values: unknown[]) => Promise<{ rows: { 'QUERY PLAN': [{ Plan: PlanNode }] }[] }>,
  { text }: { text: string },
  values: unknown[],
): Promise<number> {
  const { rows } = await sql(`explain (analyze, format json) ${text}`, values)
  const [explained] = rows
  if (!explained) throw new Error('a plan is one row')
  return rowsRead(explained['QUERY PLAN'][0].Plan)
}
