create trigger calls_drop_events after update of erased on calls for each row when (new.erased and not old.erased)
  execute function drop_events_of_call();
