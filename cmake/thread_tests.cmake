# The tests that run code on several threads, without _test.cpp. The thread sanitizer has nothing to say about the
# others, and building them for it takes as long as everything else. tests/thread_tests.py says which are missing.
set(ORBIS_THREAD_TESTS
    bytes/parallel
    bytes/worker_pool
    storage/region_threads
    jobs/convert/convert
    jobs/inspect/count_blocks
    jobs/damage/cell_kinds
    jobs/damage/container_kinds
    jobs/damage/damage
    jobs/damage/document_kinds
    jobs/damage/file_kinds
    jobs/damage/patient
    jobs/compare/diff_worlds
    jobs/edit/edit_cells
    jobs/edit/merge
    jobs/puzzle/orphans
    jobs/edit/prune
    jobs/edit/relight
    jobs/edit/restore
    jobs/snapshot/take
    jobs/edit/undelete
    jobs/edit/upgrade_world
    map/image
    map/made_chunks
    map/map_threads
    map/reference
    library/world
    query/find
    query/query
    watch/world_watch
    capture/recorder
    net/authenticated_session
    net/capture_tap
    net/ping
    net/server
    net/session_service
    net/udp_driver
    wire/client_server
    wire/packet_memory
    http/live/live_map
    http/live/parts
    http/server
    game/bot/scenario
    game/chunks/disk_watch
    game/chunks/encoded_chunk_cache
    game/chunks/world_reader
    game/codec/wire_ids
    game/content/content_pack
    game/download/download
    game/edits/chunk_saver
    game/edits/edit_queue
    game/edits/world_editor
    game/mapview/map_stream
    game/serve/hostile_crowd
    game/serve/player_pack
    game/serve/served_game
    proxy/account
    proxy/proxy
    inspect/inspector)

# orbis_keep_thread_tests(VARIABLE): of the files in a list only those above
function(orbis_keep_thread_tests variable)
  set(kept "")
  foreach(name IN LISTS ORBIS_THREAD_TESTS)
    set(file ${PROJECT_SOURCE_DIR}/src/${name}_test.cpp)
    if(NOT EXISTS ${file})
      message(FATAL_ERROR "cmake/thread_tests.cmake: ${file} is not there")
    endif()
    if(file IN_LIST ${variable})
      list(APPEND kept ${file})
    endif()
  endforeach()
  set(${variable} ${kept} PARENT_SCOPE)
endfunction()
