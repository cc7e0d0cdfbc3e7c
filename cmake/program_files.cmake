# What is installed for the program: itself, its manual pages and the completion of three shells. The program prints both
# of its own declarations, so that they cannot differ from --help.
if(ORBIS_SANITIZE)
  return()
endif()

set(made ${PROJECT_BINARY_DIR}/program)
set(scripts ${made}/orbis.bash ${made}/_orbis ${made}/orbis.fish)
add_custom_command(
  OUTPUT ${made}/man1/orbis.1 ${scripts}
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${made}
  COMMAND orbis help --quiet --man ${made}/man1
  COMMAND orbis completion bash > ${made}/orbis.bash
  COMMAND orbis completion zsh > ${made}/_orbis
  COMMAND orbis completion fish > ${made}/orbis.fish
  DEPENDS orbis
  COMMENT "Writing manual pages and completion" VERBATIM)
add_custom_target(program_files ALL DEPENDS ${made}/man1/orbis.1 ${scripts})

# Debian's zsh reads what packages bring from one folder and what an administrator brings from another.
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  set(zsh_folder zsh/vendor-completions)
else()
  set(zsh_folder zsh/site-functions)
endif()
set(ORBIS_ZSH_FOLDER ${CMAKE_INSTALL_DATADIR}/${zsh_folder} CACHE STRING "Where the completion of zsh is installed")

install(TARGETS orbis RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
install(DIRECTORY ${made}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT program)
install(FILES ${made}/orbis.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME orbis
        COMPONENT program)
install(FILES ${made}/_orbis DESTINATION ${ORBIS_ZSH_FOLDER} COMPONENT program)
install(FILES ${made}/orbis.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program)
