-- Apart, so that no table is locked while it waits for this one. No other entry pays for more than a comparison.
create trigger entries_keep_missed after insert on entries for each row
  when (new.type = 'knowledge.found') execute function keep_missed();
