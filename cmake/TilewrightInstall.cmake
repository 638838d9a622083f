# What `cmake --install` puts where, and what find_package(Tilewright) reads of it.

install(TARGETS tilewright RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

set(data_folder ${CMAKE_INSTALL_DATADIR}/tilewright)
install(DIRECTORY programs/ DESTINATION ${data_folder}/programs FILES_MATCHING PATTERN "*.tile")
install(DIRECTORY profiles/ DESTINATION ${data_folder}/profiles FILES_MATCHING PATTERN "*.json")
install(DIRECTORY kit/ DESTINATION ${data_folder}/kit USE_SOURCE_PERMISSIONS)
install(DIRECTORY shims/ DESTINATION ${data_folder}/shims)
install(DIRECTORY include/tilewright DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "*.def")

include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Tilewright)
configure_package_config_file(
  cmake/TilewrightConfig.cmake.in ${PROJECT_BINARY_DIR}/TilewrightConfig.cmake INSTALL_DESTINATION ${package_folder}
  PATH_VARS data_folder
)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/TilewrightConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/TilewrightConfig.cmake ${PROJECT_BINARY_DIR}/TilewrightConfigVersion.cmake
              cmake/TilewrightThirdParty.cmake DESTINATION ${package_folder}
)
install(EXPORT TilewrightExport NAMESPACE Tilewright:: DESTINATION ${package_folder})
