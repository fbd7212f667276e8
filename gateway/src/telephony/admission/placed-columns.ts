/** How statements read a `Placed` from `numbers` n, with `accountJoin`. */
export const networksColumn = `case when a.kind = 'sip' then a.networks else n.networks end`
export const accountJoin = `left join carrier_accounts a on a.org = n.org and a.account = n.account`
export const placedColumns = `n.number, n.origin, n.via, n.account, a.kind as account_kind,
    ${networksColumn} as networks, n.origin = 'hooked' and n.approved_at is null as awaits_approval`
