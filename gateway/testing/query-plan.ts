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
