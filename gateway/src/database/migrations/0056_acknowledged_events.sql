-- Whether an app that acknowledges events has had the call: `told` then stays what it acknowledged last, also while
-- events are sent, and what it has not acknowledged is kept for a day after the call's end.
alter table driven_calls add column acknowledged boolean not null default false;
