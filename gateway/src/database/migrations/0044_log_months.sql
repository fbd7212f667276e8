-- The entries of a call are kept with those of all calls that were opened in the same month, in a partition of its own,
-- so that a month's logs are dropped and not deleted. A log stays in its month however long it grows, so that `(log,
-- seq)` is unique if it is in each partition. A month is a number such as 202611.

-- Where the log's entries are. 0 is the partition of logs without a month: agents' own, and all from before there were
-- months. Null if its entries are past their life: nothing reads them any more, and they are dropped with their month.
alter table logs add column month integer default 0;

-- The months that have a partition. A log is given the newest of them that has begun, and so never one that is missing.
create table entry_months (
  month integer primary key
);
